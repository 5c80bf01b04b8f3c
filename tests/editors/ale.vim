" kifud in Vim with ALE. Run by run-vim.sh. Every line and column expected here is counted in faults.sgf.
scriptencoding utf-8
let s:passed = 0
let s:failed = 0

function s:say(line) abort
  call writefile([a:line], $REPORT, 'a')
endfunction

function s:check(fine, what, detail) abort
  if a:fine
    let s:passed += 1
    call s:say('ok ' .. a:what)
  else
    let s:failed += 1
    call s:say('NOT OK ' .. a:what)
    call s:say(string(a:detail))
  endif
endfunction

function s:eventually(Condition) abort
  for _ in range(1000)
    if a:Condition()
      return v:true
    endif
    sleep 20m
  endfor
  return v:false
endfunction

" What the location list of the window shows.
function s:findings() abort
  return map(getloclist(0), {_, found -> [found.lnum, found.col, found.type, found.text]})
endfunction

function s:shows(what, expected) abort
  " A script's changes have no such event.
  doautocmd TextChanged
  call s:check(s:eventually({-> s:findings() == a:expected}), a:what, s:findings())
endfunction

function s:tests() abort
  edit $RECORD
  call s:check(&filetype ==# 'sgf', 'a record has its file type', &filetype)
  let komi = [1, 29, 'E', 'bad-number: KM: "6,5" has a decimal comma; SGF writes a point: "6.5"']
  let bad = [3, 3, 'E', 'off-board: B: "zz" lies off the 5x5 board']
  " ALE shows LSP's columns as they are: the two emoji count as four.
  let behind = [4, 16, 'E', 'off-board: B: "yy" lies off the 5x5 board']
  call s:shows('the location list shows the bad points', [komi, bad, behind])
  let signs = sign_getplaced(bufnr('%'), {'group': '*'})[0].signs
  call s:check(map(copy(signs), {_, sign -> sign.lnum}) == [1, 3, 4], 'there are signs beside the lines', signs)

  call cursor(2, 4)
  let s:hover = {}
  call ale#lsp_linter#SendRequest(bufnr('%'), 'kifud',
        \ ale#lsp#message#Hover(bufnr('%'), 2, 4), {answer -> extend(s:hover, answer)})
  call s:check(s:eventually({-> has_key(s:hover, 'result')}), 'a hover is answered', s:hover)
  let shown = s:hover.result.contents.value
  call s:check(shown =~# '^Move 1: Black B4\n' && shown =~# '\n 4 \.(X)\. \. \. 4\n' && shown !~# '[*`\\]',
        \ 'as plain text, which is all that ALE takes', shown)

  " What :ALECodeAction does, but for the question which one.
  call cursor(1, 30)
  let s:chosen = []
  call ale#codefix#Execute(0, {data, items -> extend(s:chosen, [data, items])})
  call s:check(s:eventually({-> !empty(s:chosen)}), 'actions are offered', s:chosen)
  let fixes = filter(copy(s:chosen[1]), {_, item -> item[1].title ==# 'write a decimal point'})
  call s:check(len(fixes) == 1, 'one of them is the fix for the komi', s:chosen[1])
  call ale#codefix#ApplyLSPCodeAction(s:chosen[0], fixes[0][1])
  call s:shows('a fix is made, and its finding goes', [bad, behind])
  call s:check(getline(1) ==# '(;GM[1]FF[4]CA[UTF-8]SZ[5]KM[6.5]GN[坏点]', 'it is the komi', getline(1))

  call setline(3, ';B[aa]')
  call s:shows('an edit takes the bad point away', [behind])
  call setline(4, substitute(getline(4), 'yy', 'cc', ''))
  call s:shows('and another the one behind emoji', [])
endfunction

let g:ale_linters_explicit = 1
let g:ale_linters = {'sgf': ['kifud']}
let g:ale_lint_on_text_changed = 'always'
let g:ale_lint_delay = 20
let g:ale_set_loclist = 1
autocmd BufRead,BufNewFile *.sgf setfiletype sgf
filetype plugin on
runtime plugin/ale.vim
call ale#linter#Define('sgf', {
      \ 'name': 'kifud', 'lsp': 'stdio', 'executable': $KIFUD, 'command': '%e serve --stdio',
      \ 'project_root': {buffer -> fnamemodify(bufname(buffer), ':p:h')}, 'language': 'sgf',
      \ })

try
  call s:tests()
  call s:check(v:true, 'the test came to its end', '')
catch
  call s:check(v:false, 'the test came to its end', v:exception .. ' at ' .. v:throwpoint)
endtry
call s:say(s:passed .. ' passed, ' .. s:failed .. ' failed')
execute s:failed ? 'cquit!' : 'qall!'
