import type { Socket } from 'node:net';

/** Parts of a socket that its types do not show; this runs on one release line of Node.js. */
interface Internals {
  connecting: boolean;
  readonly _handle: { readStart(): void; readStop(): void; reading: boolean } | null;
}

const lineEnd = 0x0a;
const answerBytesMax = 1_024;

/**
 * Connects a socket to the gateway and waits for its word before the socket tells that it is connected: TLS and HTTP
 * begin with that event, and would take the word for the other side's. A refusal is an error with a code.
 *
 * @param connect starts the connection to the gateway
 * @param request the line that is sent there
 */
export function shakeHands(socket: Socket, connect: () => void, request: string): Socket {
  const internals = socket as unknown as Internals;
  connect();
  // The first write of all: what the caller writes waits for it. It is begun by a listener, which is called here alone.
  socket.write(`${request}\n`);
  const begin = socket.rawListeners('connect').at(-1) as () => void;
  socket.removeListener('connect', begin);
  let answer = Buffer.alloc(0);

  const own = {
    emit(event: string | symbol, ...args: unknown[]): boolean {
      if (event === 'ready') return true;
      if (event !== 'connect') return Object.getPrototypeOf(socket).emit.call(socket, event, ...args);
      begin.call(socket);
      internals.connecting = true;
      internals._handle?.readStart();
      return true;
    },
    push(bytes: Buffer | null): boolean {
      if (bytes === null) {
        refuse('ECONNRESET', 'The gateway closed the connection.');
        return false;
      }
      answer = Buffer.concat([answer, bytes]);
      const end = answer.indexOf(lineEnd);
      if (end !== -1) settle(answer.toString('utf8', 0, end), answer.subarray(end + 1));
      else if (answer.length > answerBytesMax) refuse('ECONNRESET', 'The gateway gave no answer.');
      return true;
    },
  };
  Object.assign(socket, own);

  /** From now on the socket is as any other. */
  const restore = () => {
    Reflect.deleteProperty(socket, 'emit');
    Reflect.deleteProperty(socket, 'push');
    internals.connecting = false;
  };

  function refuse(code: string, message: string): void {
    restore();
    socket.destroy(Object.assign(new Error(message), { code, syscall: 'connect' }));
  }

  function settle(line: string, rest: Buffer): void {
    const [word, code = 'ECONNREFUSED', ...words] = line.split(' ');
    if (word !== 'ok') {
      refuse(code, words.join(' '));
      return;
    }
    restore();
    if (internals._handle !== null) {
      internals._handle.readStop();
      internals._handle.reading = false;
    }
    if (rest.length > 0) socket.push(rest);
    socket.emit('connect');
    socket.emit('ready');
    if (!socket.isPaused()) socket.read(0);
  }
  return socket;
}
