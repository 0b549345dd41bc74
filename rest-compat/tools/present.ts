/** Most items of a list that a text shows. Contract 04, section 4.1. */
export const shownItemsMax = 20;

interface Presenting {
  /** Members that stand for themselves in the structured content alone. */
  readonly secrets: readonly string[];
  /** Lays a long list by. @returns a reference to read it on by */
  readonly keep: (items: readonly unknown[]) => string;
}

const hidden = '(hidden; call with reveal: true, or read the structured content)';

/**
 * What a model reads of a result: Markdown, with the data in a JSON fence. A fence cannot be closed from within, since
 * JSON holds no line that begins with what it holds as text.
 *
 * @param title what was called
 */
export function resultText(title: string, result: object, { secrets, keep }: Presenting): string {
  const notes: string[] = [];
  const shown = Object.fromEntries(
    Object.entries(result).map(([name, value]) => {
      if (!Array.isArray(value) || value.length <= shownItemsMax) return [name, value];
      const more = `\`${name}\`: ${shownItemsMax} of ${value.length} shown`;
      // What lets its holder act is not laid by anywhere.
      notes.push(secrets.length > 0 ? `${more}.` : `${more}; the rest by expand_result with ref ${keep(value)}.`);
      return [name, value.slice(0, shownItemsMax)];
    }),
  );
  const text = JSON.stringify(shown, (name, value) => (secrets.includes(name) && value ? hidden : value), 2);
  return [`**${title}**`, ...notes, `\`\`\`json\n${text}\n\`\`\``].join('\n\n');
}
