-- expect: 'require' is no verb
lesson { number = 1, title = "Escape", idea = "out" }
require "os"
