import { type ReactNode, useId } from 'react';

interface SidePartProps {
  readonly title: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A part of the side bar with its heading. */
export function SidePart({ title, action, children }: SidePartProps) {
  const id = useId();
  return (
    <section className="room-part" aria-labelledby={id}>
      <div className="room-part-head">
        <h2 id={id}>{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}
