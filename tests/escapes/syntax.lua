-- expect: :3: unexpected symbol
lesson { 
