import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal as HeadlessModal, ModalOverlay } from 'react-aria-components/Modal';
import { IconButton } from './button.tsx';

interface ModalProps {
  readonly title: string;
  readonly isOpen: boolean;
  /** Called by Escape, by a press outside, and by whatever the content calls it for. */
  readonly close: () => void;
  /** `wide` for what holds a table or a text; `alert` for a question that has to be answered. @default 'dialog' */
  readonly kind?: 'dialog' | 'wide' | 'alert';
  readonly children: ReactNode;
  /** Buttons, the one that acts last. */
  readonly foot?: ReactNode;
}

/**
 * A dialog over the page. The focus stays in it and returns to where it was. A press outside does not close an `alert`,
 * and neither does it close what holds unsaved input: give these the kind `alert`.
 */
export function Modal({ title, isOpen, close, kind = 'dialog', children, foot }: ModalProps) {
  return (
    <ModalOverlay
      className="veil"
      isOpen={isOpen}
      onOpenChange={(open) => !open && close()}
      isDismissable={kind !== 'alert'}
    >
      <HeadlessModal className={kind === 'wide' ? 'modal wide' : 'modal'}>
        <Dialog role={kind === 'alert' ? 'alertdialog' : 'dialog'}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {kind !== 'alert' && foot === undefined && (
            <div className="modal-close">
              <IconButton small icon={X} label="Close" onPress={close} />
            </div>
          )}
          {children}
          {foot !== undefined && <div className="modal-foot">{foot}</div>}
        </Dialog>
      </HeadlessModal>
    </ModalOverlay>
  );
}
