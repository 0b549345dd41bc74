import type { Command, Group } from '../command.ts';

/** Each script calls `svc __complete` with the typed words, so it knows every command. */
const scripts = {
  bash: `_svc() {
  local line word
  COMPREPLY=()
  while IFS=$'\\t' read -r word line; do
    [ -n "$word" ] && COMPREPLY+=("$word")
  done < <(svc __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _svc svc
`,
  zsh: `#compdef svc
_svc() {
  local -a found
  local word about
  while IFS=$'\\t' read -r word about; do
    [ -n "$word" ] && found+=("\${word//:/\\\\:}:$about")
  done < <(svc __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe 'svc' found; else _files; fi
}
# From a folder of fpath this file is the function at its first call; else it is told of here.
if [ "$funcstack[1]" = _svc ]; then _svc "$@"; else compdef _svc svc; fi
`,
  fish: `function __svc_find
    set -l words (commandline -opc)
    set -g __svc_found (svc __complete $words[2..-1] (commandline -ct) 2>/dev/null)
    test (count $__svc_found) -gt 0
end
complete -c svc -e
complete -c svc -f -n __svc_find -a '$__svc_found'
`,
} as const;

const about = {
  bash: 'eval "$(svc completion bash)" in ~/.bashrc',
  zsh: 'svc completion zsh > ~/.zfunc/_svc, with fpath=(~/.zfunc $fpath) before compinit in ~/.zshrc; or, behind compinit, source <(svc completion zsh)',
  fish: 'svc completion fish > ~/.config/fish/completions/svc.fish',
} as const;

const completion: Command = {
  words: 'completion',
  summary: 'Print the script that completes svc in a shell.',
  about: [
    'It is text for the shell, not JSON. Commands, flags and choices come from svc itself, so the script need not be renewed.',
    `bash: ${about.bash}.`,
    `zsh: ${about.zsh}.`,
    `fish: ${about.fish}.`,
  ],
  positionals: [{ name: 'shell', choices: ['bash', 'zsh', 'fish'], about: 'Your shell.' }],
  examples: [
    ['For bash', 'completion bash'],
    ['For zsh', 'completion zsh'],
    ['For fish', 'completion fish'],
  ],
  async run({ cli, positionals }) {
    const shell = positionals.shell as keyof typeof scripts;
    cli.stdout.write(`${scripts[shell]}# ${about[shell]}\n`);
    return undefined;
  },
};

export const group: Group = { name: 'completion', about: [completion.summary], commands: [completion] };
