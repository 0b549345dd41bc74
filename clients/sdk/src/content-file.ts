/** Bytes that are read when they are asked for, and again: a `Blob` is some, and a file by {@link contentFile}. */
export interface ContentBytes {
  readonly size: number;
  /** Media type; may be empty. */
  readonly type?: string;
  /** From `start` to the byte before `end`. */
  readonly slice: (start: number, end: number) => ContentBytes;
  readonly stream: () => ReadableStream<Uint8Array<ArrayBuffer>>;
  /** All of it at once. What is short is sent so where it can be: a stream costs more than its bytes then. */
  readonly arrayBuffer?: () => Promise<ArrayBuffer>;
}

/** What is used of Node.js. */
interface NodeFile {
  read(into: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  close(): Promise<void>;
}

interface NodeFiles {
  readonly promises: {
    stat(path: string): Promise<{ readonly size: number }>;
    open(path: string): Promise<NodeFile>;
  };
  createReadStream(path: string, range: { readonly start: number; readonly end: number }): unknown;
}

interface NodeStreams {
  readonly Readable: { toWeb(stream: unknown): ReadableStream<Uint8Array<ArrayBuffer>> };
}

/**
 * A file, of which only that is in memory which is under way. For Node.js from 20.16 on, Deno and Bun. It takes files of
 * any size, where `openAsBlob` of Node.js cuts those short that have 4 GiB or more.
 *
 * @throws TypeError where the platform has no files
 */
export async function contentFile(path: string): Promise<ContentBytes> {
  const { process } = globalThis as {
    readonly process?: { readonly getBuiltinModule?: (name: string) => unknown };
  };
  const files = process?.getBuiltinModule?.('node:fs') as NodeFiles | undefined;
  const streams = process?.getBuiltinModule?.('node:stream') as NodeStreams | undefined;
  if (files === undefined || streams === undefined) throw new TypeError('This platform reads no files by their path.');
  const { size } = await files.promises.stat(path);

  const read = async (from: number, to: number): Promise<ArrayBuffer> => {
    const bytes = new Uint8Array(to - from);
    const file = await files.promises.open(path);
    try {
      for (let at = 0; at < bytes.length; ) {
        const { bytesRead } = await file.read(bytes, at, bytes.length - at, from + at);
        if (bytesRead === 0) return bytes.buffer.slice(0, at);
        at += bytesRead;
      }
      return bytes.buffer;
    } finally {
      await file.close();
    }
  };

  const between = (from: number, to: number): ContentBytes => ({
    size: to - from,
    slice: (start, end) => between(Math.min(from + start, to), Math.min(from + end, to)),
    stream: () =>
      to > from
        ? streams.Readable.toWeb(files.createReadStream(path, { start: from, end: to - 1 }))
        : new ReadableStream({ start: (controller) => controller.close() }),
    arrayBuffer: () => read(from, to),
  });
  return between(0, size);
}
