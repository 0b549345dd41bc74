import { useEffect, useState } from 'react';

/** How long a button says what came of it, in milliseconds. */
const saidMs = 2_000;

const saying = { copied: 'Copied', failed: 'Not copied' } as const;

/** Copies a text, and says so. */
export function CopyButton({ what, text }: { readonly what: string; readonly text: string }) {
  const [said, setSaid] = useState<keyof typeof saying>();
  useEffect(() => {
    const timer = said === undefined ? undefined : setTimeout(() => setSaid(undefined), saidMs);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => setSaid((await copied(text)) ? 'copied' : 'failed');
  return (
    <>
      <button type="button" className="slim" onClick={() => void copy()}>
        {said === undefined ? 'Copy' : saying[said]} <span className="seen-by-readers">{what}</span>
      </button>
      <span role="status" className="seen-by-readers">
        {said !== undefined && saying[said]}
      </span>
    </>
  );
}

/** Browsers give a page of a plain http address no clipboard, but let it copy what it has selected. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = Object.assign(document.createElement('textarea'), { value: text, readOnly: true });
    const { activeElement } = document;
    (activeElement?.closest('dialog') ?? document.body).append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    (activeElement as HTMLElement | null)?.focus({ preventScroll: true });
    return done;
  }
}
