;;; eglot.el --- kifud in Emacs with eglot -*- lexical-binding: t; coding: utf-8 -*-
;; Run by run-emacs.sh. Every line and column expected here is counted in faults.sgf.

(require 'cl-lib)
(require 'eglot)
(require 'flymake)

(define-derived-mode sgf-mode fundamental-mode "SGF")
(add-to-list 'auto-mode-alist '("\\.sgf\\'" . sgf-mode))
(add-to-list 'eglot-server-programs `(sgf-mode . (,(getenv "KIFUD") "serve" "--stdio")))

(defvar passed 0)
(defvar failed 0)

(defun check (fine what &optional detail)
  (cond (fine (cl-incf passed) (princ (format "ok %s\n" what)))
        (t (cl-incf failed) (princ (format "NOT OK %s\n%S\n" what detail)))))

(defun eventually (condition)
  "Wait until CONDITION gives something."
  (let ((end (+ (float-time) 20)) found)
    (while (and (not (setq found (funcall condition))) (< (float-time) end))
      (accept-process-output nil 0.02))
    found))

(defun findings ()
  "What flymake shows: (LINE FIRST-COLUMN END-COLUMN TEXT), columns in characters from 0."
  (mapcar (lambda (found)
            (goto-char (flymake-diagnostic-beg found))
            (list (line-number-at-pos)
                  (- (point) (line-beginning-position))
                  (- (flymake-diagnostic-end found) (line-beginning-position))
                  (flymake-diagnostic-text found)))
          (sort (flymake-diagnostics)
                (lambda (a b) (< (flymake-diagnostic-beg a) (flymake-diagnostic-beg b))))))

(defun shows (what expected)
  ;; Changes are told when Emacs is idle, which it never is in batch mode.
  (eglot--signal-textDocument/didChange)
  (check (eventually (lambda () (equal (findings) expected))) what (findings)))

(defun ask (method &rest params)
  (jsonrpc-request (eglot-current-server) method params))

(defun replace (old new)
  (goto-char (point-min))
  (search-forward old)
  (replace-match new t t))

(defconst komi '(1 28 33 "kifud [bad-number]: KM: \"6,5\" has a decimal comma; SGF writes a point: \"6.5\""))
(defconst ascii '(3 2 6 "kifud [off-board]: B: \"zz\" lies off the 5x5 board"))
(defconst behind-emoji '(4 13 17 "kifud [off-board]: B: \"yy\" lies off the 5x5 board"))

(defun tests ()
  (find-file (getenv "RECORD"))
  (check (eq major-mode 'sgf-mode) "a record opens in its mode")
  (let ((eglot-sync-connect 20))
    (apply #'eglot (eglot--guess-contact)))
  (check (eglot-current-server) "eglot has a server")
  (shows "flymake shows the bad points, one of them behind emoji" (list komi ascii behind-emoji))

  (goto-char (point-min))
  (search-forward "W[ba" )
  (let ((shown (plist-get (plist-get (apply #'ask :textDocument/hover (eglot--TextDocumentPositionParams)) :contents) :value)))
    (check (string-match-p (regexp-quote " 5 .(O). . . 5\n 4 . X . . . 4\n") shown) "the hover has the board" shown))

  ;; The fix for the komi, made as `eglot-code-actions' does when the user has chosen it.
  (goto-char (point-min))
  (search-forward "KM[")
  (let* ((where (eglot--pos-to-lsp-position))
         (actions (ask :textDocument/codeAction
                       :textDocument (eglot--TextDocumentIdentifier)
                       :range (list :start where :end where)
                       :context '(:diagnostics [] :only ["quickfix"])))
         (fix (and (= 1 (length actions)) (aref actions 0))))
    (check (equal (plist-get fix :title) "write a decimal point") "a fix is offered at the komi" actions)
    (eglot--apply-workspace-edit (plist-get fix :edit)))
  (shows "the fix is made, and its finding goes" (list ascii behind-emoji))

  (replace "yy" "cc")
  (shows "an edit behind emoji takes the next one away" (list ascii))
  (replace "zz" "aa")
  (shows "and another the last" nil)
  (check (string-prefix-p "(;GM[1]FF[4]CA[UTF-8]SZ[5]KM[6.5]GN[坏点]\n;B[bb]C[黑棋先手😀];W[ba]\n;B[aa]\n;W[de]C[😀😀];B[cc])"
                          (buffer-string))
         "nothing else has changed" (buffer-string))
  (set-buffer-modified-p nil)
  (eglot-shutdown (eglot-current-server)))

(condition-case problem
    (progn (tests) (check t "the test came to its end"))
  (error (check nil "the test came to its end" problem)))
(princ (format "%d passed, %d failed\n" passed failed))
(kill-emacs (if (zerop failed) 0 1))
