import { CircleCheck, TriangleAlert, X } from 'lucide-react';
import { Button } from 'react-aria-components/Button';
import { Text } from 'react-aria-components/Text';
// React Aria may still change the names of these; the version is pinned.
import {
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components/Toast';

interface Message {
  readonly title: string;
  readonly about?: string | undefined;
  readonly mood: 'good' | 'bad';
}

const queue = new ToastQueue<Message>({ maxVisibleToasts: 4 });

/** How long good news stays, in milliseconds. React Aria pauses the time while a toast has the focus or the pointer. */
const shownMs = 6_000;

/** Reports in a corner that something was done. */
export const announce = (title: string, about?: string): void => {
  queue.add({ title, about, mood: 'good' }, { timeout: shownMs });
};

/** Reports in a corner that something failed; it stays until it is closed. What has a place on the page is shown there. */
export const announceFailure = (title: string, about?: string): void => {
  queue.add({ title, about, mood: 'bad' });
};

/** The corner of the page that shows the toasts. F6 moves the focus to it. */
export function Toasts() {
  return (
    <ToastRegion queue={queue} className="toasts">
      {({ toast }) => {
        const { title, about, mood } = toast.content;
        const Icon = mood === 'good' ? CircleCheck : TriangleAlert;
        return (
          <Toast toast={toast} className={`toast ${mood}`}>
            <Icon className="icon" aria-hidden="true" />
            <ToastContent>
              <Text slot="title">
                <strong>{title}</strong>
              </Text>
              {about !== undefined && (
                <Text slot="description" className="small quiet">
                  {` ${about}`}
                </Text>
              )}
            </ToastContent>
            <Button slot="close" aria-label="Close" className="button plain only-icon slim">
              <X className="icon" aria-hidden="true" />
            </Button>
          </Toast>
        );
      }}
    </ToastRegion>
  );
}
