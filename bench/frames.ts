/**
 * The client's half of a WebSocket, as thin as it can be: at 200,000 messages a second a whole client would be what is
 * measured. The server's messages are counted where they lie, without a copy.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import * as ws from 'ws';

// The library's own frame writer: public in its code, missing from its types.
const { frame } = (ws as unknown as { Sender: { frame: (data: Buffer, options: object) => Buffer[] } }).Sender;

export const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const;

/** One frame as it goes over the wire; a client masks its frames, a server does not. */
export const frameOf = (opcode: number, data: Buffer, mask: boolean): Buffer =>
  Buffer.concat(frame(data, { fin: true, rsv1: false, opcode, mask, readOnly: true }));

/** Told of each frame of the server: `bytes` from `start` to `end` are its payload, good until the call returns. */
export type OnFrame = (opcode: number, bytes: Buffer, start: number, end: number) => void;

const none: Buffer = Buffer.alloc(0);

/** Finds the frames in what arrives. */
function reader(onFrame: OnFrame): (chunk: Buffer) => void {
  let rest = none;
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (;;) {
      if (bytes.length - at < 2) break;
      let length = bytes[at + 1]! & 0x7f;
      let start = at + 2;
      if (length === 126) {
        if (bytes.length - at < 4) break;
        length = bytes.readUInt16BE(start);
        start += 2;
      } else if (length === 127) {
        if (bytes.length - at < 10) break;
        length = Number(bytes.readBigUInt64BE(start));
        start += 8;
      }
      const end = start + length;
      if (bytes.length < end) break;
      onFrame(bytes[at]! & 0x0f, bytes, start, end);
      at = end;
    }
    rest = at === bytes.length ? none : bytes.subarray(at);
  };
}

/** Opens a WebSocket. Pings are answered here. */
export async function openSocket(url: string, protocol: string | undefined, onFrame: OnFrame): Promise<Socket> {
  const opening = request(url.replace('ws', 'http'), {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
      ...(protocol === undefined ? {} : { 'sec-websocket-protocol': protocol }),
    },
  }).end();
  const [, socket, head] = (await once(opening, 'upgrade')) as [IncomingMessage, Socket, Buffer];
  const read = reader((opcode, bytes, start, end) => {
    if (opcode === opcodes.ping) socket.write(frameOf(opcodes.pong, Buffer.from(bytes.subarray(start, end)), true));
    else onFrame(opcode, bytes, start, end);
  });
  socket.on('data', read).setNoDelay(true);
  if (head.length > 0) read(head);
  return socket;
}
