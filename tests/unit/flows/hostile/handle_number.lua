local h = ask { secret = true }
return h + 1
