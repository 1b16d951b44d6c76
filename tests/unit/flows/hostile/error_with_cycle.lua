local e = {}
e.e = e
error(e)
