/** Largest object that is sent in one piece, in bytes. */
const singleMax = 64 * 1024 * 1024;
/** Smallest part of a larger one. */
const partMin = 16 * 1024 * 1024;
/** Most parts that S3 takes. */
const partsMax = 10_000;
const mebibyte = 1024 * 1024;

/** Largest object, in bytes: 5 TiB. */
export const objectBytesMax = 5 * 1024 ** 4;

/** How an object is cut into parts: all are of one length but the last. */
export interface PartLayout {
  readonly partSize: number;
  readonly partCount: number;
}

/** @param size of the object, in bytes */
export function layoutOf(size: number): PartLayout {
  if (size <= singleMax) return { partSize: size, partCount: 1 };
  const partSize = Math.max(partMin, Math.ceil(size / partsMax / mebibyte) * mebibyte);
  return { partSize, partCount: Math.ceil(size / partSize) };
}

/** Where a part lies. @param number from 1 */
export function partAt(size: number, { partSize }: PartLayout, number: number) {
  const offset = (number - 1) * partSize;
  return { offset, size: Math.min(partSize, size - offset) };
}
