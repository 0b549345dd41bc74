import { connect, type Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js';

export interface SentBy {
  readonly from: string;
  readonly to: string | readonly string[];
}

/** A mail server of somebody else, which sends to the gateway over loopback. */
export function mailSender(port: number, tls: { readonly ca: string; readonly servername: string } | null = null) {
  const transport = createTransport({
    host: '127.0.0.1',
    port,
    ...(tls === null ? { ignoreTLS: true } : { requireTLS: true, tls }),
    name: 'mx.example.com',
  } as SMTPTransport.Options);
  return {
    /** Sends bytes as they are. @returns the answer of the gateway, also of a refusal */
    raw: async ({ from, to }: SentBy, raw: string | Buffer): Promise<string> => {
      try {
        const taken = await transport.sendMail({ envelope: { from, to: [to].flat() }, raw });
        return taken.response;
      } catch (error) {
        const { response, rejectedErrors } = error as {
          readonly response?: string;
          readonly rejectedErrors?: readonly { readonly response: string }[];
        };
        const answer = response ?? rejectedErrors?.[0]?.response;
        if (answer === undefined) throw error;
        return answer;
      }
    },
  };
}

/** Lines of a mail, with CRLF. */
export const mailOf = (...lines: readonly string[]): string => lines.flatMap((line) => line.split('\n')).join('\r\n');

/** A connection that says what a client would not, byte by byte. */
export async function plainSmtp(port: number) {
  const socket: Socket = connect(port, '127.0.0.1');
  let read = '';
  let wake = () => {};
  socket.setEncoding('latin1');
  socket.on('data', (text) => {
    read += text;
    wake();
  });
  socket.on('error', () => {});
  socket.on('close', () => wake());
  /** The next whole answer. */
  const answer = async (): Promise<string> => {
    for (;;) {
      const [whole] = /^(?:\d{3}-[^\r]*\r\n)*\d{3} [^\r]*\r\n/.exec(read) ?? [];
      if (whole !== undefined) {
        read = read.slice(whole.length);
        return whole.trim().split('\r\n').at(-1)!;
      }
      if (socket.closed) return 'closed';
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  await answer();
  return {
    answer,
    say: (text: string | Buffer) => {
      socket.write(text);
      return answer();
    },
    write: (text: string | Buffer) => void socket.write(text),
    end: () => socket.destroy(),
  };
}
