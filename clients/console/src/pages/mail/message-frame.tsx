import createPurifier from 'dompurify';
import { useMemo } from 'react';

interface MessageFrameProps {
  /** Of a stranger. */
  readonly html: string;
  readonly title: string;
}

const purifier = createPurifier(window);
// A picture that is loaded tells its sender that the mail was read.
purifier.addHook('uponSanitizeAttribute', (_node, attribute) => {
  if (attribute.attrName === 'src' && !attribute.attrValue.startsWith('data:image/')) attribute.keepAttr = false;
});

const clean = (html: string): string =>
  // The browser reports handlers as it reads them, before they are taken out. They would not run in any case.
  purifier.sanitize(html.replaceAll(/\son\w+\s*=/gi, ' data-was='), {
    WHOLE_DOCUMENT: true,
    FORBID_TAGS: [
      'form',
      'input',
      'button',
      'textarea',
      'select',
      'style',
      'link',
      'meta',
      'base',
      'iframe',
      'svg',
      'math',
    ],
    FORBID_ATTR: ['style', 'srcset', 'ping', 'action', 'formaction', 'background', 'poster'],
    ALLOW_DATA_ATTR: false,
  });

/**
 * HTML of a mail, in a frame without rights: it runs nothing, sends nothing, opens nothing and has no origin. The policy of the
 * console holds in it as well.
 */
export function MessageFrame({ html, title }: MessageFrameProps) {
  return <iframe className="mail-frame" title={title} sandbox="" srcDoc={useMemo(() => clean(html), [html])} />;
}
