import type { ReactNode } from 'react';

/** Some samples under one heading. */
export function Samples({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="samples" aria-label={title}>
      <h2>{title}</h2>
      <div className="samples-row">{children}</div>
    </section>
  );
}
