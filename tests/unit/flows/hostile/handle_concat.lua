local h = ask { secret = true }
return "it is " .. h
