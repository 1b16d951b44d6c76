_G.ask = nil
