/** Most items of a list that a text shows. Contract 04, section 4.1. */
export const shownItemsMax = 20;

/** Longest text of one member that a text shows, in characters: more than any message or document of the gateway's own. */
const shownCharactersMax = 64 * 1024;

interface Presenting {
  /** Members that stand for themselves in the structured content alone. @default none */
  readonly secrets?: readonly string[];
  /**
   * Lays a long list by. Without it lists are shown whole.
   *
   * @returns a reference to read it on by; undefined for one that is not kept
   */
  readonly keep?: (items: readonly unknown[]) => Promise<string | undefined>;
}

const hidden = '(hidden; call with reveal: true, or read the structured content)';

/**
 * What a model reads of a result: Markdown, with the data in a JSON fence. A fence cannot be closed from within, since
 * JSON holds no line that begins with what it holds as text.
 *
 * @param title what was called
 */
export async function resultText(title: string, result: object, options: Presenting = {}): Promise<string> {
  const { secrets = [], keep } = options;
  const notes: string[] = [];
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(result)) {
    const isLong = keep !== undefined && Array.isArray(value) && value.length > shownItemsMax;
    shown[name] = isLong ? value.slice(0, shownItemsMax) : value;
    if (!isLong) continue;
    const ref = await keep(value);
    const rest =
      ref === undefined ? 'all of it is in the structured content' : `the rest by expand_result with ref ${ref}`;
    notes.push(`\`${name}\`: ${shownItemsMax} of ${value.length} shown; ${rest}.`);
  }
  const asShown = (name: string, value: unknown): unknown => {
    if (value && secrets.includes(name)) return hidden;
    if (typeof value !== 'string' || value.length <= shownCharactersMax) return value;
    return `${value.slice(0, shownCharactersMax)}… (${value.length} characters; the structured content has them all)`;
  };
  const text = inLines(shown, (name, value) => JSON.stringify(asShown(name, value) ?? null, asShown));
  return [`**${title}**`, ...notes, `\`\`\`json\n${text}\n\`\`\``].join('\n\n');
}

/** JSON with a line for each member and for each item of a list: as easy to read as an indented one, in half the tokens. */
function inLines(result: Readonly<Record<string, unknown>>, print: (name: string, value: unknown) => string): string {
  const members = Object.entries(result).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (!Array.isArray(value) || value.length === 0) return [`  ${JSON.stringify(name)}: ${print(name, value)}`];
    return [`  ${JSON.stringify(name)}: [\n${value.map((item) => `    ${print(name, item)}`).join(',\n')}\n  ]`];
  });
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n}`;
}
