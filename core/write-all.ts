import type { FileHandle } from 'node:fs/promises';

/**
 * Writes all bytes at the place where a file is. One write of the operating system may take fewer, without an error, when
 * the disk is about to be full: the next one then says so.
 */
export async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
}
