import { useEffect, useRef, useState } from 'react';

/** The window that the page is drawn for, in pixels, before it is made smaller. */
const drawn = { width: 1280, height: 800 };

interface PreviewProps {
  /** The address of the deployment, an origin of its own. */
  readonly url: string;
  /** What the picture shows, for screen readers. */
  readonly label: string;
}

/**
 * The first page of a site as a picture. It takes no pointer and no focus, so that nobody types into what looks like the
 * console, and can neither navigate the console nor open anything.
 */
export function Preview({ url, label }: PreviewProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width));
    observer.observe(frame.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={frame} className="site-preview" role="img" aria-label={label}>
      {width > 0 && (
        <iframe
          title={label}
          src={url}
          inert
          tabIndex={-1}
          loading="lazy"
          referrerPolicy="no-referrer"
          // Its origin is another one than the console's: it cannot take its sandbox off.
          sandbox="allow-scripts allow-same-origin"
          width={drawn.width}
          height={drawn.height}
          style={{ transform: `scale(${width / drawn.width})` }}
        />
      )}
    </div>
  );
}
