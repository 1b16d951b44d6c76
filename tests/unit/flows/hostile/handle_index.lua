local h = ask { secret = true }
return h.value
