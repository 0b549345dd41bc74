/**
 * Looks for line ends that are not CRLF, as bytes come in. Servers differ in what they take a bare CR or LF for, and mail with one
 * can smuggle another mail past one of them.
 */
export function bareLineEnds(): (chunk: Uint8Array) => boolean {
  let afterCr = false;
  return (chunk) => {
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (afterCr !== (byte === 0x0a)) return true;
      afterCr = byte === 0x0d;
    }
    return false;
  };
}
