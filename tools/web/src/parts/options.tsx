// The options of a select: the value of each and what is shown for it.
export const options = (all: [string | number, string][]) =>
  all.map(([value, shown]) => (
    <option key={value} value={value}>
      {shown}
    </option>
  ));
