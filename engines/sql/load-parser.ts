/** Memory that the parser may take, in bytes: it never gives any back. A megabyte of SQL takes some 300 MiB at most. */
export const parserMemoryMax = 384 * 1024 * 1024;
const pageBytes = 64 * 1024;

type Parser = typeof import('libpg-query');

/**
 * Loads Postgres' parser, compiled to WebAssembly, so that it writes nothing and takes no more than
 * {@link parserMemoryMax}. Its build offers no setting for either. It takes `console` and its memory while it loads, so
 * both are replaced for that moment: text of a tenant would otherwise reach the log past the logger.
 */
export async function loadParser(): Promise<Parser> {
  const { log, error } = console;
  const { instantiate } = WebAssembly;
  const bounded = async (...given: Parameters<typeof instantiate>) => {
    const made = await instantiate(...given);
    for (const memory of memoriesOf(made)) bound(memory);
    return made;
  };
  const silent = () => undefined;
  Object.assign(console, { log: silent, error: silent });
  Object.assign(WebAssembly, { instantiate: bounded });
  try {
    const parser = await import('libpg-query');
    await parser.loadModule();
    return parser;
  } finally {
    Object.assign(console, { log, error });
    Object.assign(WebAssembly, { instantiate });
  }
}

function memoriesOf(made: unknown): WebAssembly.Memory[] {
  const { instance = made } = made as { readonly instance?: WebAssembly.Instance };
  return Object.values((instance as WebAssembly.Instance).exports).filter((one) => one instanceof WebAssembly.Memory);
}

/** The parser grows its memory by this function alone, and takes a refusal for "out of memory". */
function bound(memory: WebAssembly.Memory): void {
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * pageBytes > parserMemoryMax)
      throw new RangeError('The parser has as much memory as it may.');
    return grow(pages);
  };
}
