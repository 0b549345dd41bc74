import { Check, Copy, Eye, EyeOff, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { copied } from './copied.ts';
import { Tooltip } from './tooltip.tsx';

/** How long a button shows the outcome, in milliseconds. */
const saidMs = 2_000;

const saying = { copied: 'Copied', failed: 'Not copied' } as const;
const icons = { copied: Check, failed: X } as const;

interface CopyButtonProps {
  /** Names the text for screen readers: “Copy” and this. */
  readonly what: string;
  readonly text: string;
  /** An icon alone, for narrow places. @default false */
  readonly isIcon?: boolean;
}

/** A button that copies a text and shows whether that worked. */
export function CopyButton({ what, text, isIcon = false }: CopyButtonProps) {
  const [said, setSaid] = useState<keyof typeof saying>();
  useEffect(() => {
    const timer = said === undefined ? undefined : setTimeout(() => setSaid(undefined), saidMs);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => setSaid((await copied(text)) ? 'copied' : 'failed');
  const word = said === undefined ? 'Copy' : saying[said];
  const icon = said === undefined ? Copy : icons[said];
  return (
    <>
      {isIcon ? (
        <Tooltip text={word}>
          <IconButton small icon={icon} label={`${word} ${what}`} onPress={() => void copy()} />
        </Tooltip>
      ) : (
        <Button small icon={icon} onPress={() => void copy()}>
          <span>
            {word} <span className="seen-by-readers">{what}</span>
          </span>
        </Button>
      )}
      <span role="status" className="seen-by-readers">
        {said !== undefined && saying[said]}
      </span>
    </>
  );
}

/** A secret that is hidden until the user asks to see it. */
export function Secret({ name, value }: { readonly name: string; readonly value: string }) {
  const [shown, setShown] = useState(false);
  return (
    <div className="secret">
      <code>{shown ? value : '•'.repeat(24)}</code>
      <IconButton
        small
        icon={shown ? EyeOff : Eye}
        label={`${shown ? 'Hide' : 'Show'} ${name}`}
        onPress={() => setShown(!shown)}
      />
      <CopyButton what={name} text={value} isIcon />
    </div>
  );
}

interface CodeBlockProps {
  /** Says what the code is, above it. */
  readonly title: string;
  readonly code: string;
  /** What is copied, where the shown code hides a secret. @default the code */
  readonly copies?: string;
}

/** Code to read and to copy. Long lines scroll. */
export function CodeBlock({ title, code, copies = code }: CodeBlockProps) {
  return (
    <figure className="code-block" aria-label={title}>
      <figcaption>
        <span>{title}</span>
        <CopyButton what={title} text={copies} isIcon />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key. */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
