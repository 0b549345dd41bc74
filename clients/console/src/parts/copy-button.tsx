import { useEffect, useState } from 'react';

/** How long a button shows the outcome, in milliseconds. */
const saidMs = 2_000;

const saying = { copied: 'Copied', failed: 'Not copied' } as const;

/** A button that copies a text and shows whether that worked. */
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

/** Browsers deny the clipboard to a page on plain HTTP, but let it copy its selection. */
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
