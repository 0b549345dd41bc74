/** Numbers by which a client asks for encryption before it says anything else. */
const encryptionRequests = new Set([80877103, 80877104]);

/** The answer to a request for encryption; undefined: the bytes are the start of a session. */
export function startupAnswer(bytes: Buffer): Buffer | undefined {
  return bytes.length === 8 && encryptionRequests.has(bytes.readUInt32BE(4)) ? Buffer.from('N') : undefined;
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** What a server says once a client has logged in. */
export function greeting(parameters: ReadonlyMap<string, string>): Buffer {
  const said = [...parameters].map(([name, value]) => message('S', Buffer.from(`${name}\0${value}\0`)));
  return Buffer.concat([
    message('R', Buffer.alloc(4)),
    ...said,
    message('K', Buffer.alloc(8)),
    message('Z', Buffer.from('I')),
  ]);
}

/** Follows the messages of one direction. A chunk of bytes may end within one. */
function follow(onMessage: (type: number) => void): (bytes: Uint8Array) => void {
  const head = Buffer.alloc(5);
  let headBytes = 0;
  let left = 0;
  return (bytes) => {
    let at = 0;
    while (at < bytes.length) {
      if (left === 0) {
        head[headBytes++] = bytes[at++]!;
        if (headBytes < 5) continue;
        left = head.readUInt32BE(1) - 4;
      } else {
        const step = Math.min(left, bytes.length - at);
        left -= step;
        at += step;
      }
      if (left === 0) {
        headBytes = 0;
        onMessage(head[0]!);
      }
    }
  };
}

const [query, sync, terminate, readyForQuery] = [...'QSXZ'].map((letter) => letter.charCodeAt(0));

/** Tells what the client's bytes ask the server for: a large statement comes in several writes. */
export function answersTo() {
  let expected = 'nothing' as 'answer' | 'nothing' | 'end';
  const next = follow((type) => {
    if (type === terminate) expected = 'end';
    if (type === query || type === sync) expected = 'answer';
  });
  return {
    take(bytes: Uint8Array): 'answer' | 'nothing' | 'end' {
      expected = 'nothing';
      next(bytes);
      return expected;
    },
  };
}

/** Tells whether the server has said all that it has to say. */
export function lastMessage() {
  let ready = false;
  const take = follow((type) => {
    ready = type === readyForQuery;
  });
  return {
    take,
    ready: () => ready,
    reset: () => {
      ready = false;
    },
  };
}
