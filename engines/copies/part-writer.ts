import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { writeAll } from '../../core/write-all.ts';
import type { Part, PartWriter } from './parts.ts';

const compression = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
};

const hex = (hash: Hash) => hash.digest('hex');

/**
 * Writes a part to a file that lies aside.
 *
 * @param compressed false for what is stored as it is
 * @param keep takes the file, which it closes and moves or removes
 */
export async function asideWriter(
  aside: string,
  compressed: boolean,
  keep: (file: FileHandle, part: Part) => Promise<Part>,
): Promise<PartWriter> {
  const file = await open(aside, 'w', 0o600);
  const content = createHash('sha256');
  const stored = createHash('sha256');
  const input = compressed ? createZstdCompress(compression) : new PassThrough();
  let bytes = 0;
  const written = pipeline(input, async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      stored.update(chunk);
      bytes += chunk.length;
      await writeAll(file, chunk);
    }
  });
  // One listener for all of it: a race for every piece would leave one behind each time.
  let stop = () => {};
  written.catch(() => stop());
  return {
    async write(chunk) {
      content.update(chunk);
      if (input.write(chunk)) return;
      await new Promise<void>((done) => {
        stop = done;
        input.once('drain', done);
      });
      // When it has failed, why.
      if (input.destroyed) await written;
    },
    async end() {
      input.end();
      await written;
      return keep(file, { content: hex(content), sha256: hex(stored), bytes });
    },
    async discard() {
      input.destroy();
      await written.catch(() => undefined);
      await file.close();
      await rm(aside, { force: true });
    },
  };
}

/** One part of all that `fill` writes; what fails leaves nothing of it. */
export async function wholePart(writer: PartWriter, fill: (writer: PartWriter) => Promise<void>): Promise<Part> {
  try {
    await fill(writer);
    return await writer.end();
  } catch (error) {
    await writer.discard();
    throw error;
  }
}
