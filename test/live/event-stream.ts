import { request as httpRequest, type IncomingMessage } from 'node:http';

/** A frame as it was read. */
export interface Frame {
  readonly event: string;
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  readonly data: any;
}

export interface EventStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Everything that came, as it came. */
  readonly text: () => string;
  /** The next frame; undefined when the stream has ended. */
  readonly next: () => Promise<Frame | undefined>;
  /** Frames of an event, other than those that were read already, until one fits. */
  readonly until: (fits: (frame: Frame) => boolean) => Promise<Frame[]>;
  /** The body of what is no stream. */
  readonly body: () => Promise<Record<string, never>>;
  readonly close: () => void;
}

/** Opens an event stream and reads its frames. */
export async function openStream(url: string, headers: Record<string, string>): Promise<EventStream> {
  const { response, sent } = await new Promise<{ response: IncomingMessage; sent: ReturnType<typeof httpRequest> }>(
    (resolve, reject) => {
      const sent = httpRequest(url, { headers, agent: false }, (response) => resolve({ response, sent }));
      sent.once('error', reject);
      sent.end();
    },
  );
  let text = '';
  let rest = '';
  let over = false;
  const frames: Frame[] = [];
  let wake = () => {};
  response.setEncoding('utf8');
  response.on('data', (piece: string) => {
    text += piece;
    rest += piece;
    for (let at = rest.indexOf('\n\n'); at >= 0; at = rest.indexOf('\n\n')) {
      const frame = parse(rest.slice(0, at));
      rest = rest.slice(at + 2);
      if (frame !== undefined) frames.push(frame);
    }
    wake();
  });
  const end = () => {
    over = true;
    wake();
  };
  response.on('error', end);
  response.on('close', end);
  const next = async (): Promise<Frame | undefined> => {
    while (frames.length === 0 && !over) await new Promise<void>((resolve) => (wake = resolve));
    return frames.shift();
  };
  return {
    status: response.statusCode!,
    headers: response.headers,
    text: () => text,
    next,
    async until(fits) {
      const seen: Frame[] = [];
      for (;;) {
        const frame = await next();
        if (frame === undefined) throw new Error(`The stream ended after ${JSON.stringify(seen)}.`);
        seen.push(frame);
        if (fits(frame)) return seen;
      }
    },
    async body() {
      while (!over) await new Promise<void>((resolve) => (wake = resolve));
      return JSON.parse(text) as Record<string, never>;
    },
    close: () => sent.destroy(),
  };
}

function parse(text: string): Frame | undefined {
  const fields = new Map(
    text
      .split('\n')
      .filter((line) => !line.startsWith(':'))
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
  );
  const event = fields.get('event');
  if (event === undefined) return undefined;
  return { event, id: fields.get('id'), data: JSON.parse(fields.get('data')!) };
}
