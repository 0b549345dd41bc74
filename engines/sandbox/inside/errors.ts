/** An error as it is told to the gateway. */
export interface ToldError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** Where this file is. */
const runtime = new URL('.', import.meta.url).href;

const most = { name: 200, message: 1_000, stack: 8_192 };

/** Describes what was thrown, whatever it is: its own getters may throw as well. */
export function tellError(thrown: unknown): ToldError {
  const field = (name: keyof typeof most): string => {
    try {
      const value: unknown = Object(thrown)[name];
      return typeof value === 'string' ? value.slice(0, most[name]) : '';
    } catch {
      return '';
    }
  };
  if (typeof thrown === 'object' && thrown !== null)
    return { name: field('name') || 'Error', message: field('message'), stack: ownFrames(field('stack')) };
  return { name: 'Error', message: text(thrown).slice(0, most.message), stack: '' };
}

/** A stack without what lies below the function's own code. */
function ownFrames(stack: string): string {
  const lines = stack.split('\n');
  const below = lines.findIndex((line) => line.includes(runtime));
  return (below === -1 ? lines : lines.slice(0, below)).join('\n');
}

function text(value: unknown): string {
  try {
    return String(value);
  } catch {
    return '';
  }
}
