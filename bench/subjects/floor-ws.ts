/** The floor of fan-out: bare `ws`. What is posted becomes one frame, made once, which every socket gets. */
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { frameOf, opcodes } from '../frames.ts';
import { listen } from './listen.ts';

/** As long as the gateway's cursors, so that the frames are equally long. */
const cursor = 'mcr_'.padEnd(Number(process.env.CURSOR_LENGTH ?? 80), 'x');

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const { body } = JSON.parse(Buffer.concat(parts).toString());
  const message = { id: `msg_${crypto.randomUUID().replaceAll('-', '').slice(0, 26)}`, body };
  const next = {
    id: '1',
    type: 'next',
    payload: { data: { roomMessages: { cursor, message: { messageId: message.id, body } } } },
  };
  const made = frameOf(opcodes.text, Buffer.from(JSON.stringify(next)), false);
  for (const client of sockets.clients) (client as unknown as { _socket: Socket })._socket.write(made);
  response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(message));
});

const sockets = new WebSocketServer({ server, perMessageDeflate: false });

listen(server);
