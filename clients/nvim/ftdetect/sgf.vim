autocmd BufNewFile,BufRead *.sgf setfiletype sgf
