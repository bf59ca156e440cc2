export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** What may follow some words: `playbook` -> `lint`, `test` …; `diagnose -o` -> `text`, `json`, `yaml`. Empty is the start. */
export type Words = ReadonlyMap<string, readonly string[]>;

/** A script for a shell that completes these words, and files where none fits. */
export function completionScript(shell: Shell, words: Words): string {
  const cases = [...words].map(([path, next]) => fill(CASE[shell], path, next.join(' ')));
  return `# Completion of oom for ${shell}. Made by: oom completion ${shell}\n${HEAD[shell]}${cases.join('\n')}\n${TAIL[shell]}`;
}

function fill(line: string, path: string, next: string): string {
  return line.replace('PATH', quoted(path)).replace('WORDS', quoted(next));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const POSIX_HEAD = `_oom_words() {
  case "$1" in
`;
const POSIX_TAIL = `    *) return 1 ;;
  esac
}
`;

const HEAD: Readonly<Record<Shell, string>> = {
  bash: POSIX_HEAD,
  zsh: POSIX_HEAD,
  fish: `function __oom_words
  switch "$argv[1]"
`,
};

const CASE: Readonly<Record<Shell, string>> = {
  bash: '    PATH) echo WORDS ;;',
  zsh: '    PATH) echo WORDS ;;',
  fish: '    case PATH\n      string split -- " " WORDS',
};

const TAIL: Readonly<Record<Shell, string>> = {
  bash: `${POSIX_TAIL}_oom() {
  local at='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word != -* ]] && _oom_words "\${at:+$at }$word" >/dev/null && at="\${at:+$at }$word"
  done
  words=$(_oom_words "$at \${COMP_WORDS[COMP_CWORD-1]}") || words=$(_oom_words "$at")
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _oom oom`,
  zsh: `${POSIX_TAIL}_oom() {
  local at='' word found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word != -* ]] && _oom_words "\${at:+$at }$word" >/dev/null && at="\${at:+$at }$word"
  done
  found=$(_oom_words "$at \${words[CURRENT-1]}") || found=$(_oom_words "$at")
  compadd -- \${=found}
  _files
}
compdef _oom oom`,
  fish: `    case '*'
      return 1
  end
end
function __oom_complete
  set -l at ''
  set -l typed (commandline -opc)
  for word in $typed[2..-1]
    set -l next (string trim "$at $word")
    if not string match -q -- '-*' $word; and __oom_words $next >/dev/null
      set at $next
    end
  end
  __oom_words "$at $typed[-1]"; or __oom_words "$at"
end
complete -c oom -a '(__oom_complete)'`,
};
