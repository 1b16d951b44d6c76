return ("x"):rep(1e9)
