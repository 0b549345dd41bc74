import type { Command, Group } from '../command.ts';

/** Each asks `svc __complete` with the words typed so far, so that it knows every command there is. */
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
compdef _svc svc
`,
  fish: `function __svc_complete
    set -l words (commandline -opc) (commandline -ct)
    svc __complete $words[2..-1] 2>/dev/null
end
complete -c svc -f -a '(__svc_complete)'
`,
} as const;

const about = {
  bash: 'eval "$(svc completion bash)" in ~/.bashrc',
  zsh: 'svc completion zsh > ~/.zfunc/_svc, with fpath=(~/.zfunc $fpath) before compinit in ~/.zshrc',
  fish: 'svc completion fish > ~/.config/fish/completions/svc.fish',
} as const;

const completion: Command = {
  words: 'completion',
  summary: 'Print the script that completes svc in a shell.',
  about: [
    'It is text for the shell, not JSON. Commands, flags and choices come from svc itself, so the script need not be renewed.',
  ],
  positionals: [{ name: 'shell', choices: ['bash', 'zsh', 'fish'], about: 'Your shell.' }],
  examples: [
    ['For bash, put this into ~/.bashrc', 'completion bash'],
    ['For zsh, into a file of your fpath', 'completion zsh'],
    ['For fish', 'completion fish'],
  ],
  async run({ cli, positionals }) {
    const shell = positionals.shell as keyof typeof scripts;
    cli.stdout.write(`${scripts[shell]}# ${about[shell]}\n`);
    return undefined;
  },
};

export const group: Group = { name: 'completion', about: [completion.summary], commands: [completion] };
