/** How bytes may be packed on their way. */
export type Coding = 'br' | 'zstd' | 'gzip';

/** The best first, where a client likes several alike. */
export const codings = ['br', 'zstd', 'gzip'] as const satisfies readonly Coding[];

/**
 * The codings that a client takes, the one that it likes best first; without those that it likes less than plain bytes.
 * RFC 9110, section 12.5.3.
 *
 * @param header `Accept-Encoding`
 */
export function acceptedCodings(header: string | undefined): readonly Coding[] {
  if (header === undefined) return [];
  const qualities = new Map<string, number>();
  for (const part of header.split(',')) {
    const [name = '', ...parameters] = part.split(';');
    const coding = name.trim().toLowerCase();
    if (coding !== '') qualities.set(coding === 'x-gzip' ? 'gzip' : coding, qualityOf(parameters));
  }
  const others = qualities.get('*') ?? 0;
  const plain = qualities.get('identity') ?? 0;
  return codings
    .map((coding) => ({ coding, quality: qualities.get(coding) ?? others }))
    .filter(({ quality }) => quality > 0 && quality >= plain)
    .sort((a, b) => b.quality - a.quality)
    .map(({ coding }) => coding);
}

/** A weight from 0 to 1; what is no weight counts as none given, which is 1. */
function qualityOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const found = /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i.exec(parameter);
    if (found !== null) return Math.min(Number(found[1]), 1);
  }
  return 1;
}

/** Smaller files are sent as they are: what would be saved is less than a packet, in bytes. */
export const packedFrom = 1_024;

const packable =
  /^(?:text\/|application\/(?:javascript|json|xml|wasm|manifest\+json|rtf|x-sh|x-javascript|[\w.+-]+\+(?:json|xml))\b|image\/(?:svg\+xml|bmp|x-icon|vnd\.microsoft\.icon)\b|font\/(?:ttf|otf|collection)\b|model\/gltf\+json\b)/i;

/** Whether packing makes a type smaller. Pictures, films, fonts for the web and archives are packed by themselves. */
export const isPackable = (contentType: string): boolean =>
  packable.test(contentType) && !/^text\/event-stream\b/i.test(contentType);
