import { type ReactNode, useId } from 'react';

interface CardProps {
  readonly title: string;
  readonly side?: ReactNode;
  readonly children: ReactNode;
}

/** A section of a page, labelled by its heading. */
export function Card({ title, side, children }: CardProps) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id}>{title}</h2>
        {side}
      </div>
      {children}
    </section>
  );
}
