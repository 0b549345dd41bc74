/** One message of JSON-RPC, so far as the bridge looks into it. */
export interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: Readonly<Record<string, unknown>>;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const rpcError = (id: Message['id'], code: number, message: string, data?: unknown): Message => ({
  jsonrpc: '2.0',
  id: id ?? null,
  error: { code, message, ...(data === undefined ? {} : { data }) },
});

const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** The revision that a message of the stateless generation names; undefined for one of the older kind. */
export function revisionOf({ params }: Message): string | undefined {
  const meta = params?._meta;
  const named = isObject(meta) ? meta[versionKey] : undefined;
  return typeof named === 'string' ? named : undefined;
}

/** Longest line that is read, in characters: more than the gateway takes. */
const lineMax = 4 * 1024 * 1024;

/** The lines of a stream, without their ends; one that is too long is given as undefined. */
export async function* linesOf(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<string | undefined> {
  const decoder = new TextDecoder();
  let held = '';
  let isTooLong = false;
  for await (const chunk of stream) {
    held += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    for (let end = held.indexOf('\n'); end !== -1; end = held.indexOf('\n')) {
      const line = held.slice(0, end);
      held = held.slice(end + 1);
      yield isTooLong || line.length > lineMax ? undefined : line;
      isTooLong = false;
    }
    if (held.length > lineMax) {
      held = '';
      isTooLong = true;
    }
  }
  if (held.trim() !== '') yield isTooLong ? undefined : held;
}
