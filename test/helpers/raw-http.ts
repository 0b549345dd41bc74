import { connect, type Socket } from 'node:net';

/** A connection on which bytes are sent as they are, for what no client library would send. */
export interface RawConnection {
  readonly socket: Socket;
  readonly send: (text: string) => void;
  /** All that was answered so far, as soon as it matches or the server has closed. */
  readonly heard: (pattern?: RegExp) => Promise<string>;
}

export function rawConnection(url: string): RawConnection {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname });
  let text = '';
  let closed = false;
  socket.on('data', (part) => {
    text += part;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    closed = true;
  });
  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    heard: (pattern) =>
      new Promise((resolve) => {
        const look = () => {
          if (!closed && pattern?.test(text) !== true) return;
          socket.off('data', look).off('close', look);
          resolve(text);
        };
        socket.on('data', look).on('close', look);
        look();
      }),
  };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  readonly body: any;
}

/** The one answer that a connection was given before it was closed. */
export function parseAnswer(text: string): RawAnswer {
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
  const [line = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 1).trim()]),
  );
  return { status: Number(line.split(' ')[1]), headers, body: body === '' ? undefined : JSON.parse(body) };
}

/** Sends lines and an optional body; hears the answer to the end. */
export async function rawAnswer(url: string, lines: readonly string[], body = ''): Promise<RawAnswer> {
  const connection = rawConnection(url);
  connection.send(`${lines.join('\r\n')}\r\n\r\n${body}`);
  return parseAnswer(await connection.heard());
}
