say { 1, a = 2 }
