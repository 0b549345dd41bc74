import DOMPurify from 'dompurify';
import { useMemo } from 'react';

interface MessageFrameProps {
  /** Of a stranger. */
  readonly html: string;
  readonly title: string;
}

/**
 * HTML of a mail, in a frame without rights: it runs nothing, sends nothing, opens nothing and has no origin. The policy of the
 * console holds in it as well, so that no picture tells its sender that the mail was read.
 */
export function MessageFrame({ html, title }: MessageFrameProps) {
  const clean = useMemo(
    () =>
      DOMPurify.sanitize(html, {
        WHOLE_DOCUMENT: true,
        FORBID_TAGS: ['form', 'input', 'button', 'textarea', 'select', 'style', 'link', 'meta', 'base', 'iframe'],
        FORBID_ATTR: ['style', 'srcset', 'ping', 'action', 'formaction'],
      }),
    [html],
  );
  return <iframe className="mail-frame" title={title} sandbox="" srcDoc={clean} />;
}
