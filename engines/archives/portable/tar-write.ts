/** Tar files are made of blocks. */
export const blockBytes = 512;

/** The two empty blocks that end a tar. */
export const tarEnd = new Uint8Array(2 * blockBytes);

const ascii = new TextEncoder();

/** What fills the last block of a file. */
export const tarPadding = (size: number): Uint8Array => new Uint8Array((blockBytes - (size % blockBytes)) % blockBytes);

/**
 * The block before a file in a tar (POSIX ustar): every time, owner and right is the same in all of them, so that the same
 * files are the same bytes.
 *
 * @param path of ASCII
 * @throws RangeError for a path that the form has no place for
 */
export function tarHeader(path: string, size: number): Uint8Array {
  const { prefix, name } = splitPath(path);
  const block = new Uint8Array(blockBytes);
  const put = (at: number, text: string) => block.set(ascii.encode(text), at);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  put(0, name);
  put(100, `${octal(0o644, 7)}\0`);
  put(108, `${octal(0, 7)}\0`);
  put(116, `${octal(0, 7)}\0`);
  put(124, `${octal(size, 11)}\0`);
  put(136, `${octal(0, 11)}\0`);
  put(148, '        ');
  put(156, '0');
  put(257, 'ustar\x0000');
  put(345, prefix);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${octal(sum, 6)}\0 `);
  return block;
}

/** A path of more than 100 bytes is cut at a slash: what comes before goes where the form has a place for it. */
function splitPath(path: string): { readonly prefix: string; readonly name: string } {
  if (path.length <= 100) return { prefix: '', name: path };
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (prefix.length <= 155 && name.length <= 100 && name !== '') return { prefix, name };
  }
  throw new RangeError(`The path ${path} is too long for a tar.`);
}
