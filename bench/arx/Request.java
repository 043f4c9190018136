import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXLattice.ARXNode;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataDefinition;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

/**
 * One request answered by ARX: a CSV file made k-anonymous by the best node, by Prec, and written as CSV.
 *
 * Arguments: the CSV file, its delimiter, k, the suppression limit, the file to write; then, of each quasi-identifier,
 * its column, the least level that it may have, and the CSV file of its hierarchy (parted by semicolons, no header).
 * Prints the levels in that order, parted by spaces.
 */
public final class Request {

    private static final char PARTED_BY = ';';
    private static final int FIRST_COLUMN = 5;

    private Request() {
    }

    public static void main(final String[] given) throws Exception {
        final Data data = Data.create(new File(given[0]), StandardCharsets.UTF_8, given[1].charAt(0));
        final String[] columns = define(data.getDefinition(), given);

        final ARXConfiguration asked = ARXConfiguration.create();
        asked.addPrivacyModel(new KAnonymity(Integer.parseInt(given[2])));
        asked.setSuppressionLimit(Double.parseDouble(given[3]));
        // Monotonic: suppressed rows weigh nothing, as in the objective `prec`. Without it ARX optimises
        // `prec_suppressed_as_1`, which is another question.
        asked.setQualityModel(Metric.createPrecisionMetric(true));

        final ARXResult result = new ARXAnonymizer().anonymize(data, asked);
        final ARXNode best = result.getGlobalOptimum();
        if (best == null || !result.getOptimumFound()) {
            throw new IllegalStateException("no proven optimum");
        }
        result.getOutput(false).save(new File(given[4]), PARTED_BY);

        final int[] levels = Arrays.stream(columns).mapToInt(best::getGeneralization).toArray();
        System.out.println(Arrays.toString(levels).replaceAll("[\\[\\],]", ""));
    }

    /** Every column given becomes a quasi-identifier; the others are identifying by default, and are not released. */
    static String[] define(final DataDefinition definition, final String[] given) throws Exception {
        final int number = (given.length - FIRST_COLUMN) / 3;
        final String[] columns = new String[number];
        for (int i = 0; i < number; i++) {
            final int at = FIRST_COLUMN + 3 * i;
            columns[i] = given[at];
            definition.setAttributeType(given[at], AttributeType.QUASI_IDENTIFYING_ATTRIBUTE);
            definition.setHierarchy(
                given[at], Hierarchy.create(new File(given[at + 2]), StandardCharsets.UTF_8, PARTED_BY));
            definition.setMinimumGeneralization(given[at], Integer.parseInt(given[at + 1]));
        }
        return columns;
    }
}
