/** A document as text, and whether it says that it is UTF-8. */
export interface Decoded {
  readonly text: string;
  readonly declaredUtf8: boolean;
}

const sniffed = 1024;

/** Decodes HTML by its byte order mark, its header or its `meta`, in this order; UTF-8 when none names a known one. */
export function decodeHtml(bytes: Uint8Array, contentType: string): Decoded {
  const byHeader = /charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType)?.[1];
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, sniffed));
  const byMeta = /<meta[^>]+charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(start)?.[1];
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const label = marked ? 'utf-8' : (byHeader ?? byMeta ?? 'utf-8');
  const declaredUtf8 = marked || /^utf-?8$/i.test(byHeader ?? byMeta ?? '');
  return { text: decoderOf(label).decode(bytes), declaredUtf8 };
}

function decoderOf(label: string) {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
