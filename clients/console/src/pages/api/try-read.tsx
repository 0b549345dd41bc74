import { Play } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code.tsx';
import { indentJson } from '../../design/indent-json.ts';

interface Tried {
  readonly status: number;
  readonly ms: number;
  readonly text: string;
}

interface TryReadProps {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How much of a body is shown, in characters. */
const shownMax = 20_000;

/** A button that sends a read, with what came back. */
export function TryRead({ url, headers }: TryReadProps) {
  const [tried, setTried] = useState<Tried | 'unanswered'>();
  const [pending, setPending] = useState(false);
  const sending = useRef(false);
  const send = async () => {
    if (sending.current) return;
    sending.current = true;
    setPending(true);
    const began = performance.now();
    try {
      const response = await fetch(url, { headers });
      const text = await response.text();
      setTried({ status: response.status, ms: Math.round(performance.now() - began), text: indentJson(text) });
    } catch {
      setTried('unanswered');
    }
    sending.current = false;
    setPending(false);
  };
  return (
    <div className="api-try">
      <Button small icon={Play} isPending={pending} onPress={() => void send()}>
        Try
      </Button>
      {tried === 'unanswered' && <p role="alert">The gateway did not answer. Try again when it is back.</p>}
      {tried !== undefined && tried !== 'unanswered' && (
        <>
          <p role="status" className="quiet small">
            {`${tried.status}, ${tried.ms} ms`}
            {tried.text.length > shownMax &&
              `, the first ${shownMax.toLocaleString()} characters of ${tried.text.length.toLocaleString()}`}
          </p>
          <CodeBlock title="Answer" code={tried.text.slice(0, shownMax)} />
        </>
      )}
    </div>
  );
}
