import type { VariantName } from '../../core/asset-facts.ts';
import { SpecError } from '../release/errors.ts';
import { assetKey } from '../release/spec/paths.ts';

/** Whether a text is the key of an asset. Contract 03, section 2.11.9. */
export function isAssetKey(text: string): boolean {
  try {
    assetKey(text, 'key');
    return true;
  } catch (error) {
    if (error instanceof SpecError) return false;
    throw error;
  }
}

/** Digits of a digest that an immutable path has. */
const hashDigits = 8;

interface KeyParts {
  /** All before the extension. */
  readonly stem: string;
  /** With its dot; empty without one. */
  readonly extension: string;
}

/** A dot at the beginning of a name begins no extension: `.well-known` has none. */
function partsOf(key: string): KeyParts {
  const dot = key.lastIndexOf('.');
  const isExtension = dot > key.lastIndexOf('/') + 1;
  return isExtension ? { stem: key.slice(0, dot), extension: key.slice(dot) } : { stem: key, extension: '' };
}

/** The path below `/_blob/` that always has the same bytes: `css/app-1a2b3c4d.css`. Contract 03, section 4.2. */
export function immutablePath(key: string, sha256: string): string {
  const { stem, extension } = partsOf(key);
  return `${stem}-${sha256.slice(0, hashDigits)}${extension}`;
}

/** The path of an image that was made of another one. @param sha256 of the original */
export function variantPath(key: string, sha256: string, name: VariantName): string {
  const { stem } = partsOf(key);
  const [purpose, extension] = name === 'display_jpeg' ? ['display', 'jpg'] : [name, 'webp'];
  return `${stem}-${sha256.slice(0, hashDigits)}-${purpose}.${extension}`;
}
