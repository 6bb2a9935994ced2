/** The words that may follow a command. */
export interface CompletedCommand {
  /** The names of the command, such as `events` and `list`. It is empty for the program. */
  readonly path: readonly string[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  /** The long flags, such as `--json`. */
  readonly options: readonly { readonly flag: string; readonly description: string }[];
}

export const shells = ['bash', 'zsh', 'fish'] as const;

type Shell = (typeof shells)[number];

/** The script that completes the words of the program in a shell. */
export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  switch (shell) {
    case 'bash':
      return bashScript(commands);
    case 'zsh':
      return zshScript(commands);
    case 'fish':
      return fishScript(commands);
  }
}

function keyOf({ path }: CompletedCommand): string {
  return path.join(' ');
}

/** The path of each command below the program, as patterns of `case`. */
function pathPatterns(commands: readonly CompletedCommand[]): string {
  return commands
    .filter(({ path }) => path.length > 0)
    .map((command) => `"${keyOf(command)}"`)
    .join('|');
}

function wordCases(commands: readonly CompletedCommand[]): readonly string[] {
  return commands.map((command) => {
    const words = [...command.commands.map(({ name }) => name), ...command.options.map(({ flag }) => flag)];
    return `    "${keyOf(command)}") list="${words.join(' ')}" ;;`;
  });
}

function bashScript(commands: readonly CompletedCommand[]): string {
  return [
    '# Completion of postrider for bash. Write it again after an update: postrider completion bash',
    '_postrider() {',
    '  local path="" list="" word',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    `    case "\${path:+$path }$word" in ${pathPatterns(commands)}) path="\${path:+$path }$word" ;; esac`,
    '  done',
    '  case "$path" in',
    ...wordCases(commands),
    '  esac',
    '  COMPREPLY=($(compgen -W "$list" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _postrider postrider',
  ].join('\n');
}

function zshScript(commands: readonly CompletedCommand[]): string {
  return [
    '#compdef postrider',
    '# Completion of postrider for zsh. Write it again after an update: postrider completion zsh',
    '_postrider() {',
    '  local place="" list="" word',
    '  for word in "${(@)words[2,CURRENT-1]}"; do',
    `    case "\${place:+$place }$word" in ${pathPatterns(commands)}) place="\${place:+$place }$word" ;; esac`,
    '  done',
    '  case "$place" in',
    ...wordCases(commands),
    '  esac',
    '  compadd -- ${=list} || _files',
    '}',
    'compdef _postrider postrider',
  ].join('\n');
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const known = commands.filter(({ path }) => path.length > 0).map((command) => quoted(keyOf(command)));
  return [
    '# Completion of postrider for fish. Write it again after an update: postrider completion fish',
    'function __postrider_at',
    '  set -l place',
    '  for word in (commandline -opc)[2..]',
    `    if contains -- (string join -- ' ' $place $word) ${known.join(' ')}`,
    '      set -a place $word',
    '    end',
    '  end',
    '  test "$place" = "$argv[1]"',
    'end',
    ...commands.flatMap(fishLines),
  ].join('\n');
}

function fishLines(command: CompletedCommand): readonly string[] {
  const start = `complete -c postrider -n ${quoted(`__postrider_at ${quoted(keyOf(command))}`)}`;
  return [
    ...command.commands.map(({ name, description }) => `${start} -f -a ${name} -d ${quoted(description)}`),
    ...command.options.map(
      ({ flag, description }) => `${start} -l ${flag.slice(2)} -d ${quoted(description)}`,
    ),
  ];
}

/** A text as one argument of fish, which has two escape sequences between single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
