import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

interface Load<Props> {
  readonly Code?: ComponentType<Props> | undefined;
  readonly error?: unknown;
}

/**
 * A component whose code is loaded when it is first shown. A failed load is thrown, and tried again the next time that the
 * component is shown; `lazy` of React would keep the failure for good.
 *
 * @param loading takes its place until then
 */
export function lazyCode<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
  loading: ReactNode = null,
): ComponentType<Props> {
  let Known: ComponentType<Props> | undefined;
  return (props) => {
    const [{ Code, error }, set] = useState<Load<Props>>(() => ({ Code: Known }));
    useEffect(() => {
      if (Known !== undefined) return;
      let isOver = false;
      load().then(
        (loaded) => {
          Known = loaded.default;
          if (!isOver) set({ Code: Known });
        },
        (failed) => {
          if (!isOver) set({ error: failed });
        },
      );
      return () => {
        isOver = true;
      };
    }, []);
    if (error !== undefined) throw error;
    return Code === undefined ? loading : <Code {...props} />;
  };
}
