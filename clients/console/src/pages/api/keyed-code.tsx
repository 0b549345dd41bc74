import { CopyButton } from '../../design/code.tsx';
import { keyMark, tokenMark } from './snippets.ts';

/** What stands for the marks of a snippet. */
export interface Keys {
  readonly key: string | undefined;
  /** Said in place of a key that the caller may not read. */
  readonly keyName: string;
  readonly token: string | undefined;
  readonly areShown: boolean;
}

const dots = '••••••••';

/** A snippet with its real keys, or without them for the eyes. */
export function filled(code: string, { key, keyName, token }: Keys): string {
  return code.replaceAll(keyMark, key ?? keyName).replaceAll(tokenMark, token ?? 'ACCESS_TOKEN');
}

const masked = (code: string, keys: Keys): string =>
  keys.areShown
    ? filled(code, keys)
    : code
        .replaceAll(keyMark, keys.key === undefined ? keys.keyName : dots)
        .replaceAll(tokenMark, keys.token === undefined ? 'ACCESS_TOKEN' : dots);

interface KeyedCodeProps {
  readonly title: string;
  /** With marks in place of keys. */
  readonly code: string;
  readonly keys: Keys;
}

/** Code to copy. Keys in it are hidden until they are asked for; the copy always has them. */
export function KeyedCode({ title, code, keys }: KeyedCodeProps) {
  return (
    <figure className="code-block" aria-label={title}>
      <figcaption>
        <span>{title}</span>
        <CopyButton what={title} text={filled(code, keys)} isIcon />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key. */}
      <pre tabIndex={0}>
        <code>{masked(code, keys)}</code>
      </pre>
    </figure>
  );
}
