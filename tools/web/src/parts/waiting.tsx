// What stands where there is nothing to see yet: why not, or that the engine works.
export const Waiting = ({ error }: { error?: string | undefined }) =>
  error ? (
    <p class="warning" role="alert">
      {error}
    </p>
  ) : (
    <p class="waiting">The engine works …</p>
  );
