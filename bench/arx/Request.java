import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXConfiguration.AnonymizationAlgorithm;
import org.deidentifier.arx.ARXLattice.ARXNode;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataDefinition;
import org.deidentifier.arx.criteria.DistinctLDiversity;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;
import org.deidentifier.arx.metric.Metric.AggregateFunction;

/**
 * One request answered by ARX: a CSV file made k-anonymous by the best node, and written as CSV.
 *
 * Arguments: the CSV file, its delimiter, k, the suppression limit, the file to write; then, of each quasi-identifier,
 * its column, the least level that it may have, and the CSV file of its hierarchy (parted by semicolons, no header).
 * Prints the levels in that order, parted by spaces, and on the next line the score of the node.
 *
 * Properties: `objective` (prec, prec_suppressed_as_1 or loss; prec where left out); `sensitive`, a column with `l`
 * different values in every class; `algorithm` of ARX, its optimal one where left out, and for another one the
 * `seconds` of its search.
 */
public final class Request {

    private static final char PARTED_BY = ';';
    private static final int FIRST_COLUMN = 5;

    private Request() {
    }

    public static void main(final String[] given) throws Exception {
        final AnonymizationAlgorithm algorithm =
            AnonymizationAlgorithm.valueOf(System.getProperty("algorithm", AnonymizationAlgorithm.OPTIMAL.name()));
        final boolean proved = algorithm == AnonymizationAlgorithm.OPTIMAL;
        final Data data = Data.create(new File(given[0]), StandardCharsets.UTF_8, given[1].charAt(0));
        final String[] columns = define(data.getDefinition(), given);

        final ARXConfiguration asked = ARXConfiguration.create();
        asked.addPrivacyModel(new KAnonymity(Integer.parseInt(given[2])));
        final String sensitive = System.getProperty("sensitive");
        if (sensitive != null) {
            data.getDefinition().setAttributeType(sensitive, AttributeType.SENSITIVE_ATTRIBUTE);
            asked.addPrivacyModel(new DistinctLDiversity(sensitive, Integer.getInteger("l")));
        }
        asked.setSuppressionLimit(Double.parseDouble(given[3]));
        asked.setQualityModel(objective(System.getProperty("objective", "prec")));
        asked.setAlgorithm(algorithm);
        if (proved) {
            // Beyond so many nodes the optimal algorithm is refused.
            asked.setHeuristicSearchThreshold(Integer.MAX_VALUE);
        } else {
            asked.setHeuristicSearchTimeLimit(1000 * Integer.getInteger("seconds"));
            // The seconds end the genetic algorithm, not its 50 generations.
            asked.setGeneticAlgorithmIterations(Integer.MAX_VALUE);
        }

        final ARXResult result = new ARXAnonymizer().anonymize(data, asked);
        final ARXNode best = result.getGlobalOptimum();
        if (best == null || proved && !result.getOptimumFound()) {
            throw new IllegalStateException(proved ? "no proven optimum" : "no node that passes");
        }
        result.getOutput(false).save(new File(given[4]), PARTED_BY);

        final int[] levels = Arrays.stream(columns).mapToInt(best::getGeneralization).toArray();
        System.out.println(Arrays.toString(levels).replaceAll("[\\[\\],]", ""));
        System.out.println(best.getHighestScore());
    }

    /** The metric of ARX that is the objective of that name. */
    private static Metric<?> objective(final String name) {
        switch (name) {
            case "prec":
                // Monotonic: suppressed rows weigh nothing.
                return Metric.createPrecisionMetric(true);
            case "prec_suppressed_as_1":
                return Metric.createPrecisionMetric(false);
            case "loss":
                return Metric.createLossMetric(AggregateFunction.ARITHMETIC_MEAN);
            default:
                throw new IllegalArgumentException("no such objective: " + name);
        }
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
