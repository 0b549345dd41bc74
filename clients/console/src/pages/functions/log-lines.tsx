import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import { Link } from '../../router.tsx';
import type { LogLine } from './function-types.ts';

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const day = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short' });

/** How near to the end a reader is taken to follow it, in pixels. */
const nearPx = 40;

interface LogLinesProps {
  readonly lines: readonly LogLine[];
  /** Leads to the lines of one call. @default lines name no call */
  readonly linkOf?: (requestId: string) => string;
}

/** What a function printed, oldest first. It keeps to its end while a reader is there. */
export function LogLines({ lines, linkOf }: LogLinesProps) {
  const frame = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const last = lines.at(-1)?.seq;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new line moves the end.
  useEffect(() => {
    if (follows.current && frame.current !== null) frame.current.scrollTop = frame.current.scrollHeight;
  }, [last]);
  const today = day.format(new Date());
  return (
    <div
      ref={frame}
      className="function-log"
      role="log"
      aria-label="Log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key.
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < nearPx;
      }}
    >
      {lines.map(({ seq, at, message, stream, requestId }) => {
        const moment = new Date(at);
        const date = day.format(moment);
        return (
          <div key={seq} className={stream === 'stderr' ? 'function-log-line bad' : 'function-log-line'}>
            <span className="function-log-time">
              {date !== today && `${date} `}
              {clock.format(moment)}
            </span>
            <span className="function-log-text" dir="auto">
              {stream === 'stderr' && <span className="seen-by-readers">Error output: </span>}
              {withBreaks(message)}
            </span>
            {linkOf !== undefined && requestId !== null && (
              <Link className="function-log-call" to={linkOf(requestId)} title={`Lines of ${requestId} alone`}>
                {requestId.slice(0, 12)}…
              </Link>
            )}
          </div>
        );
      })}
    </div>
  );
}

/** Text that may break behind the signs of JSON and of addresses, so that words stay whole. */
const withBreaks = (message: string): ReactNode =>
  message.split(/(?<=[,:;/&=.])(?=\S)/).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names, and never move.
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
