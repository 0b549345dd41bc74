import readExif from 'exif-reader';

/** Longest text of a note, in characters. */
const textMax = 512;
/** Numbers that one note may have: a place on the earth has three. */
const numbersMax = 8;
const notesMax = 100;

/** A note as text or number; undefined for what is neither, such as the maker's own bytes. */
function noteOf(value: unknown): string | number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (Array.isArray(value) && value.length <= numbersMax && value.every((one) => Number.isFinite(one)))
    return value.join(', ');
  if (typeof value !== 'string') return undefined;
  // PostgreSQL keeps no NUL, and cameras fill up their texts with it.
  const text = value.replaceAll('\u0000', '').trim().toWellFormed();
  return text === '' ? undefined : text.slice(0, textMax).toWellFormed();
}

/** Notes of a camera; null where there are none. What cannot be read is no reason to refuse the image. */
export function exifNotes(exif: Buffer | undefined): Readonly<Record<string, string | number>> | null {
  if (exif === undefined) return null;
  try {
    const { Image, Photo, GPSInfo } = readExif(exif);
    const notes = [Image, Photo, GPSInfo]
      .flatMap((section) => Object.entries(section ?? {}))
      .flatMap(([name, value]) => {
        const note = noteOf(value);
        return note === undefined ? [] : [[name, note] as const];
      })
      .slice(0, notesMax);
    return notes.length === 0 ? null : Object.fromEntries(notes);
  } catch {
    return null;
  }
}
